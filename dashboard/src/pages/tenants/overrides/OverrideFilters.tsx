import type { ReactNode } from 'react';
import { SelectField, TextField } from '../../../ui/form/inputs.tsx';

/** As a list calls them; empty is any. */
export type Filters = {
  readonly limit_name: string;
  readonly subject: string;
  readonly status: string;
};

export const noFilters: Filters = { limit_name: '', subject: '', status: '' };

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'active', label: 'Active' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'expired', label: 'Expired' },
];

export function OverrideFilters({
  value,
  onChange,
  children,
}: {
  readonly value: Filters;
  readonly onChange: (value: Filters) => void;
  /** What can be done with those that are found. */
  readonly children: ReactNode;
}) {
  return (
    <search className="tenant-filters tenant-filters-inset" aria-label="Overrides">
      <TextField
        label="Limit"
        name="limit_name"
        type="search"
        maxLength={64}
        value={value.limit_name}
        onChange={(limit_name) => onChange({ ...value, limit_name })}
      />
      <TextField
        label="Subject"
        name="subject"
        type="search"
        maxLength={1024}
        value={value.subject}
        onChange={(subject) => onChange({ ...value, subject })}
      />
      <SelectField
        label="Status"
        name="status"
        value={value.status}
        options={statuses}
        onChange={(status) => onChange({ ...value, status })}
      />
      {children}
    </search>
  );
}
