import type { MethodDefinition } from '@grpc/grpc-js';

/**
 * A method whose messages are handed over as they came: what can't be read is then ours to answer,
 * and the library's own answer to it would be that the fault is here.
 */
export function plainMethod(path: string): MethodDefinition<Buffer, Buffer> {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: asItIs,
    requestDeserialize: asItIs,
    responseSerialize: asItIs,
    responseDeserialize: asItIs,
  };
}

function asItIs(bytes: Buffer): Buffer {
  return bytes;
}
