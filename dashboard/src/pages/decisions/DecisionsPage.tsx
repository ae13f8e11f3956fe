import './decisions.css';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { Card } from '../../ui/Card.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/form/inputs.tsx';
import { Page } from '../../ui/Page.tsx';
import { ReceiptView } from './ReceiptView.tsx';
import { RecentReceipts } from './RecentReceipts.tsx';

/** Paste an id, read what became of that call. */
export default function DecisionsPage() {
  const { id } = useParams();
  return (
    <Page
      title="Decisions"
      about="Every answer carries a decision_id. Paste one to read what happened, why, and what the caller should do."
      {...(id !== undefined && { back: <Link href="/decisions">All decisions</Link> })}
    >
      <FindReceipt key={id} id={id ?? ''} />
      {id === undefined ? <RecentReceipts /> : <ReceiptView id={decodeURIComponent(id)} />}
    </Page>
  );
}

function FindReceipt({ id }: { readonly id: string }) {
  const [text, setText] = useState(id);
  const [, go] = useLocation();
  const find = () => {
    const wanted = text.trim();
    if (wanted !== '') go(`/decisions/${encodeURIComponent(wanted)}`);
  };
  return (
    <Card>
      <form
        className="find-receipt"
        onSubmit={(event) => {
          event.preventDefault();
          find();
        }}
      >
        <TextField
          label="Decision id"
          name="decision_id"
          className="mono"
          placeholder="decision_id of an answer"
          value={text}
          onChange={setText}
        />
        <Button type="submit" variant="primary" icon="search">
          Read receipt
        </Button>
      </form>
    </Card>
  );
}
