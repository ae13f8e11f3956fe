import { fileURLToPath } from 'node:url';
import { bounds } from './bounds.ts';
import type { GrpcServer } from './grpc/grpc-server.ts';
import { hostService, type Definition, type Implementation } from './grpc/host-service.ts';

/** Beside the compiled code as beside the sources: the build copies them. */
const protoPath = fileURLToPath(new URL('../../../proto', import.meta.url));

const protoFiles = ['envoy/service/ratelimit/v3/rls.proto', 'grpc/health/v1/health.proto'] as const;

/** Lets tools ask what this server speaks. Loaded only where it is wanted. */
export async function addReflection(server: GrpcServer): Promise<void> {
  const [{ load }, { ReflectionService }] = await Promise.all([
    import('@grpc/proto-loader'),
    import('@grpc/reflection'),
  ]);
  const definition = await load([...protoFiles], { includeDirs: [protoPath], keepCase: true });
  const host = {
    addService: (described: Definition, implementation: Implementation) =>
      hostService(
        server,
        { definition: described, implementation },
        { messageBytesMax: bounds.messageBytes },
      ),
  };
  new ReflectionService(definition).addToServer(host);
}
