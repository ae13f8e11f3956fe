import type { Filter } from '../../../ui/form/Filters.tsx';

/** As a list calls them; empty is any. */
export type OverrideFilter = {
  readonly limit_name: string;
  readonly subject: string;
  readonly status: string;
};

export const noFilter: OverrideFilter = { limit_name: '', subject: '', status: '' };

export const filters: readonly Filter<OverrideFilter>[] = [
  { name: 'limit_name', label: 'Limit', maxLength: 64 },
  { name: 'subject', label: 'Subject', maxLength: 1024 },
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: '', label: 'Any status' },
      { value: 'active', label: 'Active' },
      { value: 'scheduled', label: 'Scheduled' },
      { value: 'expired', label: 'Expired' },
    ],
  },
];
