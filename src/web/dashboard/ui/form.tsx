import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';
import { createContext, use, useEffect, useId, useRef, useState } from 'react';
import type { FieldErrors } from './field-errors.ts';

const BOX =
  'w-full min-w-0 min-h-10 rounded-xl border border-edge bg-card px-3 py-2 text-sm placeholder:text-soft aria-invalid:border-stop';

/** Errors of the fields of the surrounding form. */
export const FormFaults = createContext<FieldErrors>({});

interface Labelled {
  readonly label: string;
  readonly hint?: string;
  /** An error of this field, in addition to those of the surrounding form. */
  readonly error?: string | undefined;
}

interface Shown extends Labelled {
  readonly id: string;
  readonly isRaw: boolean;
}

/** A field with its id and its error from the surrounding form. */
function useLabelled({ label, hint, error }: Labelled, name: string | undefined): Shown {
  const id = useId();
  const fault = use(FormFaults)[name ?? ''];
  const words = error ?? fault?.text;
  const isRaw = error === undefined && (fault?.isRaw ?? false);
  return { id, label, error: words, isRaw, ...(hint === undefined ? {} : { hint }) };
}

function Frame(props: Shown & { children: ReactNode }) {
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
        <p
          id={`${props.id}-error`}
          {...(props.isRaw ? { lang: 'en' } : {})}
          className="text-xs font-medium break-words text-stop"
        >
          {props.error}
        </p>
      )}
    </div>
  );
}

function described({ id, hint, error }: Shown) {
  const by = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .join(' ')
    .trim();
  return { id, 'aria-invalid': error !== undefined, ...(by === '' ? {} : { 'aria-describedby': by }) };
}

/** Before a file is chosen: otherwise the same file, corrected in the meantime, would not be a change. */
function forgetFile({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void {
  if (currentTarget.type === 'file') currentTarget.value = '';
}

export function Field({ label, hint, error, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const shown = useLabelled({ label, error, ...(hint === undefined ? {} : { hint }) }, input.name);
  return (
    <Frame {...shown}>
      <input onClick={forgetFile} {...input} {...described(shown)} className={BOX} />
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
  const shown = useLabelled({ label, error, ...(hint === undefined ? {} : { hint }) }, select.name);
  return (
    <Frame {...shown}>
      <select {...select} {...described(shown)} className={BOX}>
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
  const shown = useLabelled({ label, error, ...(hint === undefined ? {} : { hint }) }, area.name);
  return (
    <Frame {...shown}>
      <textarea rows={4} {...area} {...described(shown)} className={BOX} />
    </Frame>
  );
}

const TYPING_MS = 350;

/** Searches after a pause in typing, or on Enter. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly placeholder?: string;
  readonly hint?: string;
}) {
  const { value, onSearch, ...field } = props;
  const [text, setText] = useState(value);
  const searched = useRef(value);
  const search = (): void => {
    if (text.trim() === searched.current) return;
    searched.current = text.trim();
    onSearch(searched.current);
  };
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  });
  useEffect(() => {
    const timer = window.setTimeout(() => latest.current(), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  // Changed from outside: by a link, or by the button that clears the filters.
  useEffect(() => {
    if (value === searched.current) return;
    searched.current = value;
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
      onKeyDown={(event) => event.key === 'Enter' && search()}
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

/** A choice small enough for a heading. */
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

/** Suggestions for fields with `list="time-zones"`. */
export function TimeZones() {
  return (
    <datalist id="time-zones">
      {Intl.supportedValuesOf('timeZone').map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
}

/** Suggestions for fields with `list="currencies"`. */
export function Currencies() {
  return (
    <datalist id="currencies">
      {Intl.supportedValuesOf('currency').map((code) => (
        <option key={code} value={code} />
      ))}
    </datalist>
  );
}
