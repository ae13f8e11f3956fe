import { useState } from 'react';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { CheckField, SelectField, TextField } from '../../ui/form/inputs.tsx';
import { consequence, nextOf } from './consequences.ts';
import type { FullReport } from './report.ts';
import { useStep } from './use-step.ts';

/** Takes a limit further, after saying what that will do to whom. */
export function PromoteDialog({
  report,
  isOneOf,
  onClose,
}: {
  readonly report: FullReport;
  readonly isOneOf: number;
  readonly onClose: () => void;
}) {
  const [when, setWhen] = useState<'now' | 'date'>('now');
  const [date, setDate] = useState('');
  const [reason, setReason] = useState('');
  const [force, setForce] = useState(false);
  const step = useStep('promote', { report, isOneOf }, onClose);
  const next = nextOf(report.stage);
  const enforces = when === 'date' || next === 'enforce';
  const isAgainst = enforces && report.verdict.verdict !== 'ready';
  const send = () =>
    step.mutate({
      reason,
      ...(when === 'date' && { enforce_from: date === '' ? '' : new Date(date).toISOString() }),
      ...(isAgainst && force && { force }),
    });
  return (
    <Dialog title={`Promote ${report.limit}`} onClose={onClose}>
      <Form
        submit={when === 'date' ? 'Warn now, enforce then' : `Promote to ${next}`}
        busy={step.isPending}
        error={step.error}
        onCancel={onClose}
        onSubmit={send}
      >
        <SelectField
          label="How"
          name="when"
          value={when}
          options={[
            { value: 'now', label: `To ${next}, now` },
            { value: 'date', label: 'Warn now, enforce from a date on' },
          ]}
          onChange={setWhen}
        />
        {when === 'date' && (
          <TextField
            label="Enforce from"
            name="enforce_from"
            type="datetime-local"
            value={date}
            onChange={setDate}
          />
        )}
        <p className="notice tone-accent">{consequence(report, enforces, when === 'date')}</p>
        {isAgainst && (
          <div className="notice tone-warning">
            <div>
              <p>The evidence speaks against it: {report.verdict.reason}.</p>
              <CheckField
                label="Enforce it all the same; the audit will say so"
                name="force"
                value={force}
                onChange={setForce}
              />
            </div>
          </div>
        )}
        <TextField
          label="Reason"
          name="reason"
          hint="Kept in the audit, with the figures above."
          value={reason}
          onChange={setReason}
        />
      </Form>
    </Dialog>
  );
}
