const hourMs = 3_600_000;

/**
 * A number from 0 to below 1 that a caller keeps for an hour, the same on every node. So the same
 * callers are served and the same are refused, and to try again gains nothing; in the next hour it is
 * others' turn.
 */
export function lotOf(tenantId: string, subject: string, nowMs: number): number {
  let hash = Math.imul(Math.floor(nowMs / hourMs), 0x9e3779b1) ^ 0x811c9dc5;
  hash = mixed(hash, tenantId);
  hash = mixed(hash, subject);
  // FNV leaves the high bits of short texts alike.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

function mixed(start: number, text: string): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return Math.imul(hash ^ 0xff, 0x01000193);
}
