export const rateLimitServiceName = 'envoy.service.ratelimit.v3.RateLimitService';
export const shouldRateLimitPath = `/${rateLimitServiceName}/ShouldRateLimit`;

/** What its checks are called in metrics, logs and traces. */
export const doorRoute = 'envoy.rls';
