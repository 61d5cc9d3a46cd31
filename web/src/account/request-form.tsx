import { createContext, type ComponentChildren } from 'preact';
import { useContext, useId, useRef } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { type Result, useAction } from './use-action.js';

type Props<Data> = {
  /** label of the button */
  action: string;
  send: (values: Record<string, string>) => Promise<Result<Data>>;
  done: (data: Data | undefined) => void;
  /** Shows a problem in another way. @returns whether it did */
  handle?: (problem: Problem) => boolean;
  /** what to ask before */
  confirm?: string;
  children?: ComponentChildren;
};

const Errors = createContext<Record<string, string>>({});

/**
 * A form that sends one request at a time. The entered text stays after a problem. Errors of fields are at the fields, others above the
 * button.
 */
export function RequestForm<Data>({ action, send, done, handle, confirm: question, children }: Props<Data>) {
  const form = useRef<HTMLFormElement>(null);
  const { run, isBusy, failure } = useAction();

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (question !== undefined && !confirm(question)) return;
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

type InputProps = {
  name: string;
  label: string;
  hint?: string | undefined;
  isOptional?: boolean | undefined;
  value?: string | undefined;
};

/** What makes an element a field of the form: its attributes, and those of its label. */
function useField({ name, label, hint, isOptional = false }: InputProps) {
  const error = useContext(Errors)[name];
  const id = useId();
  const described = { 'aria-invalid': error !== undefined, 'aria-describedby': `${id}-hint` };
  return { input: { name, required: !isOptional, ...described }, labelled: { name: id, label, error, hint } };
}

type FieldProps = InputProps & {
  type?: 'text' | 'email' | 'password' | 'url' | 'datetime-local';
  autocomplete?:
    | 'email'
    | 'username'
    | 'username webauthn'
    | 'name'
    | 'current-password'
    | 'new-password'
    | 'one-time-code'
    | 'off';
  dir?: 'ltr' | 'auto';
  /** takes the focus when it appears */
  isFocused?: boolean;
  minLength?: number;
  maxLength?: number;
};

const focus = (input: HTMLInputElement | null): void => input?.focus();

/** A field for one line: an address, a name or a secret. `value` is the text that it begins with. */
export function Field({
  name,
  label,
  hint,
  isOptional,
  value,
  type = 'text',
  dir = 'ltr',
  isFocused,
  ...rest
}: FieldProps) {
  const { input, labelled } = useField({ name, label, hint, isOptional });
  return (
    <Labelled {...labelled}>
      <input
        // TypeScript checks attributes for each type, not for a union of types.
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
        type={type as 'text'}
        dir={dir}
        defaultValue={value}
        ref={isFocused === true ? focus : null}
        {...input}
        {...rest}
      />
    </Labelled>
  );
}

type TextProps = InputProps & { rows?: number; maxLength?: number };

export function TextField({ name, label, hint, isOptional, value, rows = 6, maxLength }: TextProps) {
  const { input, labelled } = useField({ name, label, hint, isOptional });
  return (
    <Labelled {...labelled}>
      <textarea rows={rows} dir="auto" defaultValue={value} maxLength={maxLength} {...input} />
    </Labelled>
  );
}

type SelectProps = InputProps & { options: Readonly<Record<string, string>>; onChange?: (value: string) => void };

/** A choice of one value. `options` has the label of each. */
export function SelectField({ value, options, onChange, ...props }: SelectProps) {
  const { input, labelled } = useField(props);
  return (
    <Labelled {...labelled}>
      <select {...input} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
        {Object.entries(options).map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** Its value is `on` if it is checked. */
export function CheckField({ isChecked, ...props }: InputProps & { isChecked?: boolean }) {
  const { input, labelled } = useField(props);
  return (
    <label class="check">
      <input type="checkbox" defaultChecked={isChecked} {...input} />
      <span>{labelled.label}</span>
      <Hint {...labelled} />
    </label>
  );
}

type ChecksProps<Name extends string> = {
  legend: string;
  names: readonly Name[];
  labels: Readonly<Record<Name, string>>;
  prefix?: string;
  checked?: readonly Name[];
};

/** A choice of several values: the field of each is its name after `prefix`. */
export function CheckFields<Name extends string>({ prefix = '', checked = [], ...props }: ChecksProps<Name>) {
  const { legend, names, labels } = props;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {names.map((one) => (
        <CheckField key={one} name={prefix + one} label={labels[one]} isChecked={checked.includes(one)} isOptional />
      ))}
    </fieldset>
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
  hint?: string | undefined;
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
