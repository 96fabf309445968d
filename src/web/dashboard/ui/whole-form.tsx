import { useEffect, useLayoutEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button, Problem } from './basics.tsx';
import { ownFaults, refusedFaults, type FieldErrors } from './field-errors.ts';
import { FormFaults } from './form.tsx';

interface FormProps<K extends string> {
  /** Values by field name; '' for empty and for missing fields. */
  readonly fields: readonly K[];
  readonly submit: string;
  readonly busy: boolean;
  readonly error?: ApiError | null;
  /** Returns additional errors of the values, by field name. */
  readonly check?: (values: Record<K, string>) => Partial<Record<K, string>>;
  readonly onSubmit: (values: Record<K, string>) => void;
  readonly children: ReactNode;
  readonly extra?: ReactNode;
  readonly danger?: boolean;
}

/** The latest errors, from the form itself or from the server. */
interface Found {
  readonly error: ApiError | null;
  readonly faults: FieldErrors;
  /** Whether there is an error that belongs to no field. */
  readonly isMore: boolean;
}

const NOTHING: Found = { error: null, faults: {}, isMore: false };

/** A form with fields by name. Each error is shown once: at its field, or below the form if it has none. */
export function Form<K extends string>(props: FormProps<K>) {
  const { error = null, check } = props;
  const form = useRef<HTMLFormElement>(null);
  const [found, setFound] = useState(NOTHING);
  // Focuses the first invalid field, once it is marked as invalid.
  const goesToFault = useRef(false);
  useLayoutEffect(() => {
    if (form.current === null || error === null) return setFound(NOTHING);
    const { faults, isAll } = refusedFaults(form.current, error);
    goesToFault.current = true;
    setFound({ error, faults, isMore: !isAll });
  }, [error]);
  useEffect(() => {
    if (!goesToFault.current) return;
    goesToFault.current = false;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [found]);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { currentTarget } = event;
    const values = readValues(currentTarget, props.fields);
    const faults = { ...asFaults(check?.(values)), ...ownFaults(currentTarget) };
    const isFine = Object.keys(faults).length === 0;
    goesToFault.current = !isFine;
    setFound({ error, faults, isMore: false });
    if (isFine) props.onSubmit(values);
  };
  /** An edited field is no longer invalid, until the next validation. */
  const mend = ({ target }: FormEvent<HTMLFormElement>): void => {
    const name = 'name' in target && typeof target.name === 'string' ? target.name : '';
    if (found.faults[name] === undefined) return;
    const { [name]: _, ...faults } = found.faults;
    setFound({ ...found, faults });
  };
  return (
    <form ref={form} noValidate onSubmit={submit} onChange={mend} className="grid gap-4">
      <FormFaults value={found.faults}>{props.children}</FormFaults>
      {error !== null && found.error === error && found.isMore && <Problem error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look={props.danger === true ? 'danger' : 'primary'} busy={props.busy}>
          {props.submit}
        </Button>
        {props.extra}
      </div>
    </form>
  );
}

function readValues<K extends string>(form: HTMLFormElement, fields: readonly K[]): Record<K, string> {
  const data = new FormData(form);
  const values = fields.map((name): [string, string] => {
    const value = data.get(name);
    return [name, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(values) as Record<K, string>;
}

function asFaults(texts: Partial<Record<string, string>> = {}): FieldErrors {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, { text, isRaw: false }]],
    ),
  );
}
