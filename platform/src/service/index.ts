export { serveAlone } from './alone.ts';
export { rlsPlans } from './rls-plans.ts';
export { startService, type Service, type ServiceOptions } from './service.ts';
export { serveAsWorker, superviseWorkers } from './workers.ts';
