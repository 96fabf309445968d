import { use, useId } from 'react';
import { EVENT_TYPES } from '../contract/types.ts';
import { t } from '../i18n/t.ts';
import { FormFaults } from './form.tsx';
import { words } from './labels.ts';

/** The event types that an endpoint receives. */
export interface EventPick {
  /** Whether it receives all types, including future ones. */
  readonly isAll: boolean;
  /** The types, if it does not receive all. */
  readonly types: readonly string[];
}

/** Grouped by the prefix of the type; all others form the last group. */
const GROUPS = [
  ['payment.', t('Payments')],
  ['refund.', t('Refunds by link')],
  ['send.', t('Coins you send')],
] as const;

/** The types in groups; stored types that are unknown here are kept in the last one. */
function grouped(stored: readonly string[]): [name: string, types: string[]][] {
  const all = [...new Set<string>([...EVENT_TYPES, ...stored])];
  const isNamed = (type: string): boolean => GROUPS.some(([start]) => type.startsWith(start));
  return [
    ...GROUPS.map(([start, name]): [string, string[]] => [
      name,
      all.filter((type) => type.startsWith(start)),
    ]),
    [t('Others'), all.filter((type) => !isNamed(type))],
  ];
}

interface EventChoiceProps {
  readonly value: EventPick;
  /** The types that the endpoint has now. */
  readonly stored: readonly string[];
  readonly onChange: (value: EventPick) => void;
}

/** All events, or only the selected ones. Shows an error of the form's field `events`. */
export function EventChoice({ value, stored, onChange }: EventChoiceProps) {
  const id = useId();
  const error = use(FormFaults)['events']?.text;
  const toggle = (type: string, isTicked: boolean): void => {
    const others = value.types.filter((one) => one !== type);
    onChange({ ...value, types: isTicked ? [...others, type] : others });
  };
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-sm font-medium">{t('Events')}</legend>
      {([true, false] as const).map((isAll) => (
        <label key={String(isAll)} className="flex min-h-10 items-center gap-3 text-sm">
          <input
            type="radio"
            name="events"
            checked={value.isAll === isAll}
            onChange={() => onChange({ ...value, isAll })}
            className="size-5 shrink-0 accent-[var(--accent)]"
          />
          {isAll ? t('All events') : t('Only these')}
        </label>
      ))}
      {!value.isAll && (
        <div className="mt-1 grid gap-4 rounded-xl border border-line p-4">
          {grouped(stored).map(([name, types], group) => (
            <fieldset key={name}>
              <legend className="text-xs font-medium text-soft">{name}</legend>
              {types.map((type, place) => (
                <EventCheck
                  key={type}
                  type={type}
                  isTicked={value.types.includes(type)}
                  onChange={(isTicked) => toggle(type, isTicked)}
                  // The first one gets the focus if none is selected.
                  {...(group + place === 0 && error !== undefined ? { describedBy: `${id}-error` } : {})}
                />
              ))}
            </fieldset>
          ))}
        </div>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs font-medium text-stop">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function EventCheck(props: {
  type: string;
  isTicked: boolean;
  describedBy?: string;
  onChange: (isTicked: boolean) => void;
}) {
  const fault =
    props.describedBy === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': props.describedBy };
  return (
    <label className="flex min-h-10 items-center gap-3 text-sm">
      <input
        type="checkbox"
        name="events"
        checked={props.isTicked}
        onChange={(event) => props.onChange(event.target.checked)}
        {...fault}
        className="size-5 shrink-0 accent-[var(--accent)]"
      />
      <span className="min-w-0 break-words">
        {words(props.type)} <code className="text-xs text-soft">{props.type}</code>
      </span>
    </label>
  );
}
