import { join } from 'node:path';
import { ChildNode } from '../../platform/rig/child-node.ts';
import { baseSettings } from '../../platform/rig/settings.ts';
import { copyFolder, prepareEmbeddedTemplates } from '../../servers/embedded-templates.ts';
import { buildProgram } from '../../servers/program.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { launchChromium } from './chromium.ts';

/** Where a browser can see the console: the compiled service on what is built in, and Chromium. */
export type Stage = {
  readonly url: string;
  readonly adminToken: string;
  /** Where to connect to the browser. */
  readonly browserEndpoint: string;
  /** Of the compiled service, for who starts one of their own. */
  readonly programPath: string;
};

/** Writes into the service's folder before it starts. */
export type Prepare = (folder: string, programPath: string) => Promise<void>;

export async function openStage(
  prepare?: Prepare,
): Promise<Stage & { readonly close: () => Promise<void> }> {
  const programPath = buildProgram();
  if (programPath === null) throw new Error('The service does not compile (see above).');
  const [{ migrated }, folder, browser] = await Promise.all([
    prepareEmbeddedTemplates(),
    createTemporaryFolder('console'),
    launchChromium(),
  ]);
  await copyFolder(migrated, join(folder, 'postgres'));
  await prepare?.(folder, programPath);
  const node = ChildNode.run([programPath, 'serve'], {
    ...baseSettings,
    SLUICE_DATA_DIR: folder,
    SLUICE_DEMO: 'on',
  });
  await node.untilServing();
  return {
    url: node.url,
    adminToken: node.adminToken,
    browserEndpoint: browser.wsEndpoint(),
    programPath,
    close: async () => {
      await Promise.all([browser.close(), node.end()]);
      await removeFolder(folder);
    },
  };
}
