import type { Server } from '@grpc/grpc-js';
import { fileURLToPath } from 'node:url';

/** Beside the compiled code as beside the sources: the build copies them. */
const protoPath = fileURLToPath(new URL('../../../proto', import.meta.url));

export const protoFiles = [
  'envoy/service/ratelimit/v3/rls.proto',
  'grpc/health/v1/health.proto',
] as const;

/** Lets tools ask what this server speaks. Loaded only where it is wanted. */
export async function addReflection(server: Server): Promise<void> {
  const [{ load }, { ReflectionService }] = await Promise.all([
    import('@grpc/proto-loader'),
    import('@grpc/reflection'),
  ]);
  const definition = await load([...protoFiles], { includeDirs: [protoPath] });
  new ReflectionService(definition).addToServer(server);
}
