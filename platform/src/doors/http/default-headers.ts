/**
 * On every answer. What we answer is about this moment and this caller, so nothing is stored; it is
 * data, so a browser that is led here shows and runs nothing. No HSTS: TLS ends in front of us.
 */
export const defaultHeaders = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

/** For pages of our own: their scripts, styles and calls, and nobody else's. */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});
