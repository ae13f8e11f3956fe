import { useState } from 'react';
import { useChange, useList } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Confirm } from '../../../ui/dialog/Confirm.tsx';
import { MoreRows } from '../../../ui/MoreRows.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { NewTokenDialog } from './NewTokenDialog.tsx';
import type { Token } from './token.ts';
import { TokensTable } from './TokensTable.tsx';

/** Who may use the admin API and this console. Only owners see it. */
export function TokensCard() {
  const list = useList<Token>('tokens');
  const [isNew, setIsNew] = useState(false);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const revoke = useChange({
    run: ({ id }: Token) => admin('DELETE', `tokens/${id}`),
    touches: ['tokens', 'audit'],
    done: (_, { name }) => `Token ${name} is revoked.`,
  });
  return (
    <Card
      title="Admin tokens"
      about="For people and programs that run the platform, or one tenant of it."
      flush
      actions={
        <Button variant="primary" icon="plus" onClick={() => setIsNew(true)}>
          New token
        </Button>
      }
    >
      <Loaded query={list}>
        {() => <TokensTable tokens={list.items} onRevoke={setRevoked} />}
      </Loaded>
      <MoreRows list={list} />
      {isNew && <NewTokenDialog onClose={() => setIsNew(false)} />}
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.name}?`}
          action="Revoke token"
          onConfirm={() => revoke.mutateAsync(revoked)}
          onClose={() => setRevoked(null)}
        >
          Whoever uses it is signed out with the next request. That is for good.
        </Confirm>
      )}
    </Card>
  );
}
