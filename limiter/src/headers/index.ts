// `sluice/headers`: a decision, spoken as HTTP fields. Knows no framework and no server: it returns
// plain text by name. Every value is one line of printable ASCII, whatever a limit is called.

export { fillHeaders, headerProfiles, headersOf, toHeaders } from './to-headers.ts';
export type { HeaderOptions, HeaderProfile } from './to-headers.ts';
export type { Jitter } from './retry-after.ts';
export type { EnforceFrom } from './warning.ts';
