import { useState } from 'react';
import { useChange } from '../../../api/queries.ts';
import { admin } from '../../../api/request.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { NumberField, numberOf, TextField } from '../../../ui/form/inputs.tsx';
import type { Pool } from './pool.ts';

/** A new pool, or other numbers for one. */
export function PoolDialog({
  pool,
  onClose,
}: {
  readonly pool: Pool | null;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(pool?.name ?? '');
  const [redisUrl, setRedisUrl] = useState('');
  const [connections, setConnections] = useState(String(pool?.connections ?? 10));
  const [inFlight, setInFlight] = useState(pool ? String(pool.max_in_flight) : '');
  const [tiers, setTiers] = useState(pool?.tiers.join(', ') ?? '');
  const save = useChange({
    run: async () => {
      const fields = {
        connections: numberOf(connections),
        max_in_flight: numberOf(inFlight) ?? null,
        tiers: wordsOf(tiers),
        // What is not typed stays as it is.
        ...(redisUrl !== '' && { redis_url: redisUrl }),
      };
      const body = pool ? { ...fields, version: pool.version } : { ...fields, name };
      await admin(pool ? 'PATCH' : 'POST', pool ? `pools/${pool.id}` : 'pools', { body });
      onClose();
    },
    touches: ['pools', 'audit'],
    done: () => `Pool ${name} is saved.`,
  });
  return (
    <Dialog title={pool ? `Pool ${pool.name}` : 'New pool'} onClose={onClose}>
      <Form
        submit="Save pool"
        busy={save.isPending}
        error={save.error}
        onCancel={onClose}
        onSubmit={() => save.mutate(undefined)}
      >
        {!pool && (
          <TextField
            label="Name"
            name="name"
            hint="What tenants name. It can’t be changed."
            value={name}
            onChange={setName}
          />
        )}
        <TextField
          label="Tiers"
          name="tiers"
          optional
          hint="Whose tenants are in it, with commas between."
          value={tiers}
          onChange={setTiers}
        />
        <div className="field-row">
          <NumberField
            label="Connections"
            name="connections"
            value={connections}
            onChange={setConnections}
          />
          <NumberField
            label="In flight, a tenant"
            name="max_in_flight"
            optional
            value={inFlight}
            onChange={setInFlight}
          />
        </div>
        <TextField
          label="Redis address"
          name="redis_url"
          type="password"
          optional
          hint={
            pool && pool.redis_url !== null
              ? 'It has one, which is not shown. Leave this empty to keep it.'
              : 'Empty: the Redis that all share.'
          }
          value={redisUrl}
          onChange={setRedisUrl}
        />
      </Form>
    </Dialog>
  );
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
