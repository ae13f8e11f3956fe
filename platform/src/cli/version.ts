import { createRequire } from 'node:module';

// By its name in the package's own imports: the same from the source and from what is built.
const { version: ours } = createRequire(import.meta.url)('#package') as { version: string };

export const version = ours;
