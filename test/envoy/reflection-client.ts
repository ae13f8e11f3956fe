import { type Client, credentials, makeClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

type Said = { readonly [field: string]: unknown };

/** As tools ask a server what it speaks. */
export class ReflectionServiceClient {
  readonly #client: Client;

  constructor(address: string) {
    const folder = join(createRequire(import.meta.url).resolve('@grpc/reflection'), '../..');
    const path = join(folder, 'proto/grpc/reflection/v1/reflection.proto');
    const definition = loadSync(path)['grpc.reflection.v1.ServerReflection'];
    const Reflection = makeClientConstructor(definition as never, 'ServerReflection');
    this.#client = new Reflection(address, credentials.createInsecure());
    onTestFinished(() => this.#client.close());
  }

  async services(): Promise<string[]> {
    const { listServicesResponse } = await this.#ask({ listServices: '' });
    const { service } = listServicesResponse as { readonly service: readonly { name: string }[] };
    return service.map(({ name }) => name);
  }

  /** The descriptions of the files that a name is in, and of what they need. */
  async filesOf(symbol: string): Promise<Buffer[]> {
    const { fileDescriptorResponse } = await this.#ask({ fileContainingSymbol: symbol });
    return (fileDescriptorResponse as { readonly fileDescriptorProto: Buffer[] })
      .fileDescriptorProto;
  }

  #ask(question: Said): Promise<Said> {
    type Call = NodeJS.EventEmitter & { write(message: Said): void; end(): void };
    const methods = this.#client as never as Record<string, () => Call>;
    const call = methods['serverReflectionInfo']?.call(this.#client);
    if (!call) throw new Error('no such method');
    return new Promise((resolve, reject) => {
      call.on('data', resolve).on('error', reject);
      call.write(question);
      call.end();
    });
  }
}
