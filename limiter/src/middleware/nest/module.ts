import type { DynamicModule, FactoryProvider, ModuleMetadata, Provider } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { RateLimitGuard, type NestRateLimitOptions } from './guard.ts';
import { limitUnmatched } from './unmatched.ts';

const optionsToken = Symbol('sluice:options');

export type RateLimitAsyncOptions = Pick<ModuleMetadata, 'imports'> & {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: FactoryProvider<NestRateLimitOptions>['useFactory'];
  /** As among the options, which are not known yet. Default true. */
  readonly global?: boolean;
};

/** `imports: [RateLimitModule.forRoot({ limits })]`. */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest knows modules as classes.
export class RateLimitModule {
  static forRoot(options: NestRateLimitOptions): DynamicModule {
    return moduleOf({ provide: optionsToken, useValue: options }, options.global);
  }

  static forRootAsync({
    imports,
    inject,
    useFactory,
    global,
  }: RateLimitAsyncOptions): DynamicModule {
    const provider = { provide: optionsToken, useFactory, ...(inject && { inject }) };
    return { ...moduleOf(provider, global), ...(imports && { imports }) };
  }
}

function moduleOf(options: Provider, isGlobal = true): DynamicModule {
  const guard: Provider = {
    provide: RateLimitGuard,
    inject: [optionsToken],
    useFactory: (given: NestRateLimitOptions) => new RateLimitGuard(given),
  };
  const unmatched: Provider = {
    provide: 'sluice:unmatched',
    inject: [HttpAdapterHost, RateLimitGuard],
    useFactory: (host: HttpAdapterHost, decides: RateLimitGuard) => ({
      onModuleInit: () => limitUnmatched(host.httpAdapter, decides),
    }),
  };
  const everywhere: Provider[] = [{ provide: APP_GUARD, useExisting: RateLimitGuard }, unmatched];
  return {
    module: RateLimitModule,
    global: true,
    providers: [options, guard, ...(isGlobal ? everywhere : [])],
    exports: [RateLimitGuard],
  };
}
