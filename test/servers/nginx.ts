import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireProgram } from '../../scripts/programs.mjs';
import { findFreePort } from './free-port.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { createTemporaryFolder, removeFolder } from './temporary-folder.ts';

const startAttemptsMax = 5;
const readyTimeoutMs = 20_000;

export type NginxServer = ServerProcess & { readonly port: number; readonly url: string };

/** Starts nginx on 127.0.0.1 with these directives in its only server. */
export async function startNginx(directives: string): Promise<NginxServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startNginxOn(await findFreePort(), directives);
    } catch (error) {
      // Somebody else may have taken the port in the meantime.
      if (attempt === startAttemptsMax) throw error;
    }
  }
}

async function startNginxOn(port: number, directives: string): Promise<NginxServer> {
  const folder = await createTemporaryFolder('nginx');
  const configPath = join(folder, 'nginx.conf');
  await writeFile(configPath, configOf(port, folder, directives));
  const server = await startServerProcess({
    program: requireProgram('nginx'),
    args: ['-p', folder, '-c', configPath, '-e', 'stderr'],
    folder,
    logPath: join(folder, 'nginx.log'),
    readyPattern: /start worker process \d+/,
    readyTimeoutMs,
    // A fast shutdown, of the workers too.
    stopSignal: 'SIGTERM',
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid: server.pid,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

function configOf(port: number, folder: string, directives: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  return `
daemon off;
worker_processes 1;
error_log stderr notice;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${paths}
  server {
    listen 127.0.0.1:${port};
    ${directives}
  }
}
`;
}
