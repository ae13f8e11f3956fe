import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { useConsole } from './rig/visitor.ts';

const stage = useConsole();

/** Everything below a prefix, as a gateway in front of several services forwards it. */
async function startUnderPrefix(prefix: string): Promise<string> {
  const server: Server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    if (!path.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const url = `${inject('stage').url}${path.slice(prefix.length)}`;
    const forwarded = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.once('close', () => forwarded.destroy());
    incoming.pipe(forwarded.once('error', () => outgoing.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
}

describe('the page', () => {
  it('runs no script that was written into it, and reaches nobody else', async () => {
    const visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const found = await page.evaluate(`(async () => {
      const told = [];
      document.addEventListener('securitypolicyviolation', (event) => told.push(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.body.append(script);
      document.body.setAttribute('style', 'color: red');
      const elsewhere = await fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'refused');
      await new Promise((done) => setTimeout(done, 50));
      return { told: told.toSorted(), wasRun: window.wasRun === true, elsewhere };
    })()`);
    expect(found).toEqual({
      told: ['connect-src', 'script-src-elem', 'style-src-attr'],
      wasRun: false,
      elsewhere: 'refused',
    });
    // What was tried here is what visitors complain of elsewhere.
    expect(visitor.complaints.splice(0).length).toBeGreaterThanOrEqual(3);
  });

  it('works under a prefix that it was not built for', async () => {
    const visitor = await stage.visit({ url: await startUnderPrefix('/some/limits') });
    const { page } = visitor;
    await visitor.open('/playground');
    await page.getByRole('button', { name: 'Fire' }).click();
    await page.getByText(/\d+ refused/).waitFor();
    await visitor.signIn();
    await page.getByText('Decisions a second').waitFor();
    const reference = page.getByRole('link', { name: 'API reference' });
    expect(await reference.getAttribute('href')).toBe('/some/limits/docs');
  });

  it('says so when the service is gone, and goes on when it is back', async () => {
    const visitor = await stage.visit();
    const { page, context } = visitor;
    await visitor.open('/playground');
    const fire = page.getByRole('button', { name: 'Fire' });
    await fire.waitFor();
    await context.setOffline(true);
    await fire.click();
    await page.getByText('The service did not answer. Is it running?').waitFor();
    await context.setOffline(false);
    await fire.click();
    await page.getByText(/\d+ refused/).waitFor();
    expect(await page.getByText('The service did not answer.').count()).toBe(0);
  });
});
