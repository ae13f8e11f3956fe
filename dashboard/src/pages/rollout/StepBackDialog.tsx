import { useState } from 'react';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { fieldErrorsOf } from '../../ui/form/form-context.ts';
import { Form } from '../../ui/form/Form.tsx';
import { CheckField, TextField } from '../../ui/form/inputs.tsx';
import { relief } from './consequences.ts';
import type { FullReport } from './report.ts';
import { useStep } from './use-step.ts';

/** Takes a limit a stage back. Of one that guards it asks again. */
export function StepBackDialog({
  report,
  isOneOf,
  onClose,
}: {
  readonly report: FullReport;
  readonly isOneOf: number;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [confirm, setConfirm] = useState(false);
  const step = useStep('step-back', { report, isOneOf }, onClose);
  const isGuard = confirm || fieldErrorsOf(step.error).some(({ field }) => field === 'confirm');
  return (
    <Dialog title={`Step ${report.limit} back`} onClose={onClose}>
      <Form
        submit="Step back"
        busy={step.isPending}
        error={step.error}
        onCancel={onClose}
        onSubmit={() => step.mutate({ reason, ...(confirm && { confirm }) })}
      >
        <p className="notice tone-warning">{relief(report)}</p>
        {isGuard && (
          <CheckField
            label="It is a security limit, and this is meant"
            name="confirm"
            value={confirm}
            onChange={setConfirm}
          />
        )}
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
