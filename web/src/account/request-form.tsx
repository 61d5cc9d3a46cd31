import { createContext, type ComponentChildren } from 'preact';
import { useContext, useRef } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { type Result, useAction } from './use-action.js';

type Props<Data> = {
  /** label of the button */
  action: string;
  send: (values: Record<string, string>) => Promise<Result<Data>>;
  done: (data: Data | undefined) => void;
  /** Shows a problem in another way. @returns whether it did */
  handle?: (problem: Problem) => boolean;
  children?: ComponentChildren;
};

const Errors = createContext<Record<string, string>>({});

/**
 * A form that sends one request at a time. The entered text stays after a problem. Errors of fields are at the fields, others above the
 * button.
 */
export function RequestForm<Data>({ action, send, done, handle, children }: Props<Data>) {
  const form = useRef<HTMLFormElement>(null);
  const { run, isBusy, failure } = useAction();

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const values: Record<string, string> = {};
    for (const [name, value] of new FormData(form.current!)) if (typeof value === 'string') values[name] = value;
    const now = await run(() => send(values), done, handle);
    const name = Object.keys(now?.fields ?? {}).find((field) => form.current?.elements.namedItem(field));
    (form.current?.elements.namedItem(name ?? '') as HTMLElement | null)?.focus();
  };

  return (
    <form class="form" ref={form} onSubmit={(event) => void submit(event)}>
      <Errors.Provider value={failure?.fields ?? {}}>{children}</Errors.Provider>
      <p role="alert" class="failure">
        {failure?.text}
      </p>
      <button class="button" aria-disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}

type FieldProps = {
  name: string;
  label: string;
  hint?: string;
  type?: 'text' | 'email' | 'password';
  autocomplete: 'email' | 'username' | 'current-password' | 'new-password' | 'one-time-code';
  minLength?: number;
  maxLength: number;
};

/** A field for one line: an address, a name or a secret. */
export function Field({ name, label, hint, type = 'text', ...input }: FieldProps) {
  const error = useContext(Errors)[name];
  return (
    <label class="field">
      <span>{label}</span>
      <input
        name={name}
        // TypeScript checks attributes for each type, not for a union of types.
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
        type={type as 'text'}
        required
        dir="ltr"
        aria-invalid={error !== undefined}
        aria-describedby={`${name}-hint`}
        {...input}
      />
      <Hint name={name} error={error} hint={hint} />
    </label>
  );
}

export function TextField({
  name,
  label,
  hint,
  maxLength,
}: {
  name: string;
  label: string;
  hint?: string;
  maxLength: number;
}) {
  const error = useContext(Errors)[name];
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        name={name}
        required
        rows={6}
        maxLength={maxLength}
        dir="auto"
        aria-invalid={error !== undefined}
        aria-describedby={`${name}-hint`}
      />
      <Hint name={name} error={error} hint={hint} />
    </label>
  );
}

export function Hint({ name, error, hint }: { name: string; error: string | undefined; hint?: string | undefined }) {
  return (
    <span id={`${name}-hint`} class={error === undefined ? 'hint' : 'hint failure'}>
      {error ?? hint}
    </span>
  );
}

type LabelledProps = {
  name: string;
  label: string;
  error?: string | undefined;
  hint?: string;
  children: ComponentChildren;
};

export function Labelled({ name, label, error, hint, children }: LabelledProps) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      <Hint name={name} error={error} hint={hint} />
    </label>
  );
}
