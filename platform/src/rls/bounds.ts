export const uint32Max = 4_294_967_295;

/**
 * How much a request may ask, and what rules may name. Far above what gateways send; a text has at
 * most as many characters as bytes.
 */
export const requestBounds = {
  domainBytes: 1024,
  descriptors: 64,
  entries: 32,
  keyBytes: 1024,
  valueBytes: 4096,
  hits: uint32Max,
} as const;
