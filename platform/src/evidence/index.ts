// Evidence: what is kept of checks for people, after they were decided. It is told of them like
// anybody who watches, never holds one up, and is the only place that keeps subjects by name.

export { Erasure, type Erased, type Eraser, type ErasureInput } from './erasure.ts';
export * from './live/index.ts';
export { ReceiptCollector } from './receipts/collector.ts';
export type { Receipt, ReceiptLimit } from './receipts/receipt.ts';
export { Receipts, type ReceiptQuery } from './receipts/receipts.ts';
export { ReceiptWriter } from './receipts/writer.ts';
export * from './rollout/index.ts';
