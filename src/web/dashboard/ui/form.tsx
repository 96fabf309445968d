import type { FormEvent, InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react';
import { useId } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button, Problem } from './basics.tsx';

const BOX =
  'w-full min-h-10 rounded-xl border border-line bg-card px-3 py-2 text-sm placeholder:text-soft aria-invalid:border-stop';

interface Labelled {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
}

function Frame(props: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1.5">
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

export function Check({ label, ...input }: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex min-h-10 items-center gap-3 text-sm">
      <input type="checkbox" {...input} className="size-5 accent-[var(--accent)]" />
      {label}
    </label>
  );
}

interface FormProps {
  readonly submit: string;
  readonly busy: boolean;
  readonly error?: ApiError | null;
  readonly onSubmit: (values: Record<string, string>) => void;
  readonly children: ReactNode;
  readonly extra?: ReactNode;
  readonly danger?: boolean;
}

/** A form that hands out its fields by name, and shows what the server did not like. */
export function Form(props: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values: Record<string, string> = {};
    for (const [name, value] of new FormData(event.currentTarget)) {
      if (typeof value === 'string') values[name] = value;
    }
    props.onSubmit(values);
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
