import { useState, type FormEvent } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { TextField } from '../../../ui/form/inputs.tsx';
import type { Whose } from './counters.ts';

/** Somebody and something, to see their counters. */
export function WhoseForm({
  onLook,
}: {
  readonly onLook: (whose: Omit<Whose, 'tenant_id'>) => void;
}) {
  const [resource, setResource] = useState('');
  const [subject, setSubject] = useState('');
  const look = (event: FormEvent) => {
    event.preventDefault();
    onLook({ ...(resource && { resource }), ...(subject && { subject }) });
  };
  return (
    <form className="filters filters-inset" onSubmit={look}>
      <TextField
        label="Resource"
        name="resource"
        maxLength={2048}
        placeholder="POST:/search"
        value={resource}
        onChange={setResource}
      />
      <TextField
        label="Subject"
        name="subject"
        maxLength={1024}
        placeholder="user:42"
        value={subject}
        onChange={setSubject}
      />
      <Button type="submit" icon="search">
        Look
      </Button>
    </form>
  );
}
