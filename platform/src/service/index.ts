export { serveAlone } from './alone.ts';
export { readRlsPlans, type RlsPlan } from './rls-plans.ts';
export { startService, type Service, type ServiceOptions } from './service.ts';
export { serveAsWorker, superviseWorkers } from './workers.ts';
