const slots = 16_384;

/** The slot of a Redis Cluster that keys with this hash tag are in. */
export function slotOfTag(tag: string): number {
  let crc = 0;
  for (let at = 0; at < tag.length; at += 1) {
    crc ^= tag.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc % slots;
}
