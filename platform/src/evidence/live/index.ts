export { LiveCollector } from './collector.ts';
export type { LiveSecond, Stores, StoreState } from './figures.ts';
export { Live, listenersMax, type Listener } from './live.ts';
