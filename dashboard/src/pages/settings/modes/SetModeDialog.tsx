import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { CheckField, SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { instantOf, localOf } from '../instant.ts';
import { fieldsOf, modes, scopes, type Mode, type ModeEntry, type Scope } from './mode.ts';
import { noTarget, TargetFields, type TargetText } from './TargetFields.tsx';

const scopeOptions = scopes.map((value) => ({ value, label: value }));
const modeOptions = modes.map((value) => ({ value, label: value }));

/** Makes the entry for what it names, or replaces it. */
export function SetModeDialog({
  entry,
  onClose,
}: {
  /** Null for a new one. */
  readonly entry: ModeEntry | null;
  readonly onClose: () => void;
}) {
  const [scope, setScope] = useState<Scope>(entry?.scope ?? 'tenant');
  const [target, setTarget] = useState<TargetText>(entry ? textOf(entry) : noTarget);
  const [mode, setMode] = useState<Mode>(entry?.mode ?? 'shadow');
  const [from, setFrom] = useState(localOf(entry?.enforce_from ?? null));
  const [confirm, setConfirm] = useState(entry?.confirm ?? false);
  const mayWait = mode === 'shadow' || mode === 'warn';
  const set = useChange({
    run: async () => {
      const named = fieldsOf[scope].map((field) => [field, target[field] || null]);
      const body = {
        scope,
        ...Object.fromEntries(named),
        mode,
        ...(mayWait && { enforce_from: instantOf(from) }),
        ...(scope === 'limit' && { confirm }),
        ...(entry && { version: entry.version }),
      };
      await admin('PUT', 'modes', { body });
      onClose();
    },
    touches: ['modes', 'rollout', 'audit'],
    done: () => `Set to ${mode}. It counts from the next check on.`,
  });
  return (
    <Dialog title={entry ? 'Change a mode' : 'Set a mode'} onClose={onClose}>
      <Form
        submit="Set mode"
        busy={set.isPending}
        error={set.error}
        onCancel={onClose}
        onSubmit={() => set.mutate(undefined)}
      >
        {!entry && (
          <SelectField
            label="For"
            name="scope"
            value={scope}
            options={scopeOptions}
            onChange={setScope}
          />
        )}
        {!entry && <TargetFields {...{ scope, target }} onChange={setTarget} />}
        <SelectField
          label="Mode"
          name="mode"
          value={mode}
          options={modeOptions}
          onChange={setMode}
        />
        {mayWait && (
          <TextField
            label="Enforce from"
            name="enforce_from"
            type="datetime-local"
            optional
            value={from}
            onChange={setFrom}
          />
        )}
        {scope === 'limit' && mode !== 'enforce' && (
          <CheckField
            label="Meant for a security limit too"
            name="confirm"
            value={confirm}
            onChange={setConfirm}
          />
        )}
      </Form>
    </Dialog>
  );
}

function textOf(entry: ModeEntry): TargetText {
  const { tenant_id, resource, policy_id, limit } = entry;
  return {
    tenant_id: tenant_id ?? '',
    resource: resource ?? '',
    policy_id: policy_id ?? '',
    limit: limit ?? '',
  };
}
