import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { admin } from '../../api/request.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { NumberField, numberOf, TextField } from '../../ui/form/inputs.tsx';
import { count } from '../../ui/words.ts';
import type { QuotaReport } from './quota.ts';

type Input = { readonly amount: number | undefined; readonly reason: string };

/** More for the organisation, until its period ends. */
export function TopUpDialog({
  tenantId,
  report,
  onClose,
}: {
  readonly tenantId: string;
  readonly report: QuotaReport;
  readonly onClose: () => void;
}) {
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const topUp = useChange({
    run: async (input: Input) => {
      const body = { ...input, version: report.version };
      const made = await admin<{ readonly limit: number }>('POST', `quotas/${tenantId}/top-up`, {
        body,
      });
      onClose();
      return made;
    },
    touches: ['quotas', 'audit'],
    done: ({ limit }) => `Topped up: ${count(limit)} ${report.unit} until the period ends.`,
  });
  return (
    <Dialog title="Top up" onClose={onClose}>
      <Form
        submit="Top up"
        busy={topUp.isPending}
        error={topUp.error}
        onCancel={onClose}
        onSubmit={() => topUp.mutate({ amount: numberOf(amount), reason })}
      >
        <p className="quiet">
          Adds to the organisation’s {count(report.effective_limit)} {report.unit} until{' '}
          {new Date(report.ends_at).toLocaleString()}. Teams and users keep the limits they have.
        </p>
        <NumberField
          label={`How many ${report.unit} more`}
          name="amount"
          value={amount}
          onChange={setAmount}
        />
        <TextField
          label="Reason"
          name="reason"
          hint="Kept in the audit."
          value={reason}
          onChange={setReason}
        />
      </Form>
    </Dialog>
  );
}
