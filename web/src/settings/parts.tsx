import { createContext, type ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { Done } from '../account/account-page.js';
import { Action } from '../account/action.js';
import { Field, RequestForm } from '../account/request-form.js';
import { type List, Rows } from '../account/rows.js';
import type { Result } from '../account/use-action.js';
import { useTexts } from '../components/context.js';
import type { Schemas } from '../api.js';

type Account = Schemas['Account'];
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

/** A form that begins again after a success, and says so below. */
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

type OwnListProps<Row> = {
  list: List<Row>;
  empty: string;
  /** name of a row, what else is known of it, and a mark beside the name */
  describe: (row: Row) => [title: string, details: ComponentChildren, mark?: string];
  /** label of the button that ends a row */
  end: string;
  confirm?: (title: string) => string;
  canEnd?: (row: Row) => boolean;
  send: (row: Row) => Promise<Result<unknown>>;
  /** more buttons of a row */
  buttons?: (row: Row) => ComponentChildren;
};

/** What belongs to the account, each with a button that ends it. */
export function OwnList<Row extends { id: string }>({ list, empty, describe, ...own }: OwnListProps<Row>) {
  return (
    <Rows list={list} empty={empty}>
      {(row) => {
        const [title, details, mark] = describe(row);
        const question = own.confirm && { confirm: own.confirm(title) };
        return (
          <li key={row.id}>
            <p>
              <span dir="auto">{title}</span> {mark !== undefined && <span class="mark">{mark}</span>}
              <br />
              <span class="small">{details}</span>
            </p>
            <div class="actions">
              {own.buttons?.(row)}
              {own.canEnd?.(row) !== false && (
                <Action
                  label={own.end}
                  of={title}
                  {...question}
                  send={() => own.send(row)}
                  done={() => list.remove(row.id)}
                />
              )}
            </div>
          </li>
        );
      }}
    </Rows>
  );
}

const DAYS = [7, 30, 90, 365];

/** The choices of a time until which something is valid. */
export function useTerms(): Record<string, string> {
  const { forDays, noEnd } = useTexts().settings;
  return { ...Object.fromEntries(DAYS.map((days) => [days, forDays(days)])), never: noEnd };
}

/** @param days a key of `useTerms` */
export function endOf(days = 'never'): string | undefined {
  return days === 'never' ? undefined : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
}
