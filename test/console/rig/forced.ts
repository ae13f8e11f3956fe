import type { Page } from 'playwright-core';

/** What the service says to a request that the page itself would not make, with the page's token. */
export async function statusOfForced(
  page: Page,
  method: string,
  path: string,
  body?: unknown,
): Promise<number> {
  const asking = {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  return page.evaluate(`fetch(${JSON.stringify(`v1/admin/${path}`)}, {
    ...${JSON.stringify(asking)},
    headers: {
      authorization: 'Bearer ' + sessionStorage.getItem('sluice.token'),
      ${body === undefined ? '' : "'content-type': 'application/json',"}
    },
  }).then(({ status }) => status)`);
}
