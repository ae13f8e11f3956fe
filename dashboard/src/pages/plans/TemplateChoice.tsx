import type { CanonicalLimit } from 'sluice/contract';
import './plans.css';

export type Template = {
  readonly name: string;
  readonly about: string;
  readonly limits: readonly CanonicalLimit[];
};

/** Something to start from; what is written below is replaced by it. */
export function TemplateChoice({
  templates,
  chosen,
  onChoose,
}: {
  readonly templates: readonly Template[];
  readonly chosen: Template | null;
  readonly onChoose: (template: Template | null) => void;
}) {
  const all = [null, ...templates];
  return (
    <fieldset className="templates">
      <legend className="label">Start from</legend>
      {all.map((template) => (
        <label key={template?.name ?? ''}>
          <input
            type="radio"
            name="template"
            checked={chosen?.name === template?.name}
            onChange={() => onChoose(template)}
          />
          <strong>{template?.name ?? 'Nothing'}</strong>
          <span className="quiet">{template?.about ?? 'One limit, to be changed as needed'}</span>
        </label>
      ))}
    </fieldset>
  );
}
