import type {
  FormEvent,
  InputHTMLAttributes,
  ReactNode,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button, Problem } from './basics.tsx';

const BOX =
  'w-full min-w-0 min-h-10 rounded-xl border border-edge bg-card px-3 py-2 text-sm placeholder:text-soft aria-invalid:border-stop';

interface Labelled {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
}

function Frame(props: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 content-start gap-1.5">
      <label htmlFor={props.id} className="text-sm font-medium">
        {props.label}
      </label>
      {props.children}
      {props.hint !== undefined && (
        <p id={`${props.id}-hint`} className="text-xs text-soft">
          {props.hint}
        </p>
      )}
      {props.error !== undefined && (
        <p id={`${props.id}-error`} className="text-xs font-medium text-stop">
          {props.error}
        </p>
      )}
    </div>
  );
}

function described(id: string, { hint, error }: Labelled) {
  const by = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .join(' ')
    .trim();
  return { id, 'aria-invalid': error !== undefined, ...(by === '' ? {} : { 'aria-describedby': by }) };
}

export function Field({ label, hint, error, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  const labelled = { label, error, ...(hint === undefined ? {} : { hint }) };
  return (
    <Frame id={id} {...labelled}>
      <input {...input} {...described(id, labelled)} className={BOX} />
    </Frame>
  );
}

export function Select({
  label,
  hint,
  error,
  children,
  ...select
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  const labelled = { label, error, ...(hint === undefined ? {} : { hint }) };
  return (
    <Frame id={id} {...labelled}>
      <select {...select} {...described(id, labelled)} className={BOX}>
        {children}
      </select>
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  ...area
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  const labelled = { label, error, ...(hint === undefined ? {} : { hint }) };
  return (
    <Frame id={id} {...labelled}>
      <textarea rows={4} {...area} {...described(id, labelled)} className={BOX} />
    </Frame>
  );
}

const TYPING_MS = 350;

/** Searches once typing stops, or at Enter. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly placeholder?: string;
  readonly hint?: string;
}) {
  const { value, onSearch, ...field } = props;
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = (): void => {
    if (text.trim() === told.current) return;
    told.current = text.trim();
    onSearch(told.current);
  };
  const latest = useRef(tell);
  useEffect(() => {
    latest.current = tell;
  });
  useEffect(() => {
    const timer = window.setTimeout(() => latest.current(), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  // Changed from elsewhere: by a link, or by the button that clears the filters.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  return (
    <Field
      {...field}
      type="search"
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && tell()}
    />
  );
}

export function Check({ label, ...input }: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex min-h-10 items-center gap-3 text-sm">
      <input type="checkbox" {...input} className="size-5 shrink-0 accent-[var(--accent)]" />
      {label}
    </label>
  );
}

interface FormProps<K extends string> {
  /** The names of its fields; what is not filled in or not there is ''. */
  readonly fields: readonly K[];
  readonly submit: string;
  readonly busy: boolean;
  readonly error?: ApiError | null;
  readonly onSubmit: (values: Record<K, string>) => void;
  readonly children: ReactNode;
  readonly extra?: ReactNode;
  readonly danger?: boolean;
}

/** A form that hands out its fields by name, and shows what the server did not like. */
export function Form<K extends string>(props: FormProps<K>) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const values = props.fields.map((name): [string, string] => {
      const value = data.get(name);
      return [name, typeof value === 'string' ? value : ''];
    });
    props.onSubmit(Object.fromEntries(values) as Record<K, string>);
  };
  const { error = null } = props;
  return (
    <form onSubmit={submit} className="grid gap-4">
      {props.children}
      {error !== null && <Problem error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look={props.danger === true ? 'danger' : 'primary'} busy={props.busy}>
          {props.submit}
        </Button>
        {props.extra}
      </div>
    </form>
  );
}

/** `x: must not be empty` of one field, from the server's answer. */
export function fieldError(error: ApiError | null, field: string): { error: string | undefined } {
  return { error: error?.fields[field] };
}

/** A choice small enough to stand in a heading. */
export function Small(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <select
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
      className="min-h-9 rounded-xl border border-edge bg-card px-2.5 text-sm"
    >
      {props.options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** What fields with `list="time-zones"` suggest. */
export function TimeZones() {
  return (
    <datalist id="time-zones">
      {Intl.supportedValuesOf('timeZone').map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
}

/** What fields with `list="currencies"` suggest. */
export function Currencies() {
  return (
    <datalist id="currencies">
      {Intl.supportedValuesOf('currency').map((code) => (
        <option key={code} value={code} />
      ))}
    </datalist>
  );
}
