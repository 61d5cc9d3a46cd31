import { AliasTable } from '../sampling/alias-table.js';
import { Random } from '../sampling/random.js';
import { LOCALES, type Locale } from '../words/names.js';
import { STREAMS } from './streams.js';

export interface Person {
  locale: Locale;
  fullName: string;
  /** 4 to 12 letters and underscores. A number after the base makes a username unique. */
  usernameBase: string;
}

const BASE_LENGTH = 12;
const byShare = new AliasTable(LOCALES.map((locale) => locale.share));

/** Returns the name of one user, computed on demand, because 400,000 stored names would take 60 MB. */
export function personOf(random: Random, seed: number, user: number): Person {
  random.reseed(seed, STREAMS.person, user);
  const locale = LOCALES[byShare.sample(random)]!;
  const given = random.pick(locale.given);
  const family = random.pick(locale.family);
  const fullName = locale.isFamilyFirst
    ? family.native + locale.separator + given.native
    : given.native + locale.separator + family.native;
  return { locale, fullName, usernameBase: usernameBase(random, given.latin, family.latin) };
}

function usernameBase(random: Random, given: string, family: string): string {
  const forms = [
    `${given}_${family}`,
    `${given}${family}`,
    `${given[0]!}_${family}`,
    `${family}_${given}`,
    `${given}_writes`,
    `${family}_notes`,
    `${given}_${family[0]!}`,
    `the_${family}`,
  ];
  const form = random.pick(forms);
  const fitting = form.length <= BASE_LENGTH ? form : `${given[0]!}_${family}`;
  const base = fitting.slice(0, BASE_LENGTH).replace(/(?<!_)_+$/, '');
  return base.length < 4 ? `${base}_ink` : base;
}
