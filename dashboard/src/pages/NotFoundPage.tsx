import { Link } from 'wouter';
import { Page } from '../ui/Page.tsx';
import { Empty } from '../ui/States.tsx';

/** Also for what the token does not reach: to its holder it does not exist. */
export function NotFoundPage() {
  return (
    <Page title="Nothing here">
      <Empty title="There is no such page" action={<Link href="/">Back to the start</Link>}>
        Or it is not for the token you are signed in with.
      </Empty>
    </Page>
  );
}
