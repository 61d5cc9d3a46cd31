import { createContext, type ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { components } from '../../../sdk/src/schema.js';
import { Done } from '../account/account-page.js';
import { Field, RequestForm } from '../account/request-form.js';
import type { Result } from '../account/use-action.js';
import { useTexts } from '../components/context.js';

type Account = components['schemas']['Account'];
type Current = {
  account: Account;
  update: (change: Partial<Account>) => void;
  /** The account was deleted. */
  deleted: () => void;
};

/** The account of the page, which all sections need: most ask for its password, if it has one. */
export const CurrentAccount = createContext<Current | undefined>(undefined);
export const useAccount = (): Current => useContext(CurrentAccount)!;

/** Asks for the password again. An account without one must have signed in lately. */
export function PasswordField({ name = 'password' }: { name?: 'password' | 'currentPassword' }) {
  const { account, settings } = useTexts();
  if (!useAccount().account.hasPassword) return <p class="small">{settings.recentSignIn}</p>;
  const label = name === 'password' ? account.password : settings.password.current;
  return <Field name={name} label={label} type="password" autocomplete="current-password" maxLength={512} />;
}

/** The part of a body that `PasswordField` is for. */
export function proofOf({ password }: Record<string, string>): { password?: string } {
  return password === undefined ? {} : { password };
}

type FormProps<Data> = {
  action: string;
  /** what to say after a success */
  message: ComponentChildren;
  send: (values: Record<string, string>) => Promise<Result<Data>>;
  done?: (data: Data) => void;
  children?: ComponentChildren;
};

/** A form that is empty again after a success, and says so below. */
export function SettingsForm<Data>({ message, done, ...form }: FormProps<Data>) {
  const [times, setTimes] = useState(0);
  const succeeded = (data: Data | undefined): void => {
    setTimes(times + 1);
    done?.(data!);
  };
  return (
    <>
      <RequestForm key={times} {...form} done={succeeded} />
      {times > 0 && <Done key={-times}>{message}</Done>}
    </>
  );
}

type ItemProps = { title: string; mark?: string | undefined; details: ComponentChildren; children?: ComponentChildren };

/** A row of a list: its name, a line about it, and buttons. */
export function Item({ title, mark, details, children }: ItemProps) {
  return (
    <li>
      <p>
        <span dir="auto">{title}</span> {mark !== undefined && <span class="mark">{mark}</span>}
        <br />
        <span class="small">{details}</span>
      </p>
      <div class="actions">{children}</div>
    </li>
  );
}

/** A secret that is shown once, to copy. */
export function Secret({ label, value }: { label: string; value: string }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input readOnly dir="ltr" value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
    </label>
  );
}
