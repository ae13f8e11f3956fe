import './decisions.css';
import { useState, type FormEvent } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { FieldProblem } from '../../api/problem.ts';
import { Card } from '../../ui/Card.tsx';
import { Button } from '../../ui/Button.tsx';
import { FormErrors } from '../../ui/form/form-context.ts';
import { TextField } from '../../ui/form/inputs.tsx';
import { Page } from '../../ui/Page.tsx';
import { ReceiptView } from './ReceiptView.tsx';
import { RecentReceipts } from './RecentReceipts.tsx';

const idPattern = /^[\w-]{1,128}$/;
const notAnId = {
  field: 'decision_id',
  problem:
    'That is no id: it has letters, digits, - and _, and stands in decision_id of an answer.',
};

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
      {id === undefined ? <RecentReceipts /> : <ReceiptView id={id} />}
    </Page>
  );
}

function FindReceipt({ id }: { readonly id: string }) {
  const [text, setText] = useState(id);
  const [found, setFound] = useState<readonly FieldProblem[]>([]);
  const [, go] = useLocation();
  const find = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (idPattern.test(wanted)) go(`/decisions/${wanted}`);
    else setFound([notAnId]);
  };
  return (
    <Card>
      <FormErrors value={found}>
        <form className="find-receipt" noValidate onSubmit={find}>
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
      </FormErrors>
    </Card>
  );
}
