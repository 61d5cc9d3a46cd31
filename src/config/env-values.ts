// Kinds of values of environment variables; env.schema.ts has the variables.
import { isIP, isIPv6 } from 'node:net';
import * as z from 'zod';
import { canonicalAddress } from '../common/canonical-address.js';
import { NAMED_RANGES } from '../common/networks.js';

export const int = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true' || value === '1');
export const listOf = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((value) =>
      value
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    );
export const list = listOf('');

const NETWORK_NAMES = Object.keys(NAMED_RANGES);
const isNetwork = (text: string): boolean => {
  const [address = '', bits = '1', ...rest] = text.split('/');
  const isRange = isIP(address) > 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32);
  return NETWORK_NAMES.includes(text) || (isRange && rest.length === 0);
};
/** Networks in the notation of the framework, which has no value for all or for none. */
export const proxies = list.refine(
  (entries) => entries.every((entry) => isNetwork(entry) && entry !== 'all' && entry !== 'off'),
  'must list addresses, CIDR ranges (not /0: any client could then state any address), loopback, linklocal or uniquelocal',
);
export const networks = (fallback: string) =>
  listOf(fallback).refine(
    (entries) => entries.every(isNetwork),
    `must list addresses, CIDR ranges or ${NETWORK_NAMES.join(', ')}`,
  );

export const brokers = list.refine(
  (entries) => entries.every((entry) => /^[\w.-]{1,253}:\d{1,5}$/.test(entry)),
  'must list brokers as host:port',
);
/** A base URL without a slash at its end. */
export const baseUrl = z
  .string()
  .regex(/^https?:\/\/[^\s?#"<>]{1,500}$/, 'must be an http(s) address without ? and #')
  .transform((url) => url.replace(/\/$/, ''))
  .optional();

export const isEndpoint = (text: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i.test(text) && URL.canParse(`http://${text}`);

export const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
export const origin = z.string().refine(isOrigin, 'must be scheme://host or scheme://host:port, without a path');
export const corsOrigins = listOf('*').refine(
  (entries) => entries.every((entry) => isOrigin(entry) || (entry === '*' && entries.length === 1)),
  'must be *, or list origins as https://app.example',
);
export const origins = list.refine((entries) => entries.every(isOrigin), 'must list origins, as https://app.example');
const isLoopback = ({ hostname }: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

const issuer = z
  .url()
  .refine((text) => text.startsWith('https://') || isLoopback(new URL(text)), 'must begin with https://');
const oidcProvider = z.strictObject({
  issuer: issuer.optional(),
  clientId: z.string().min(1).max(500),
  /** absent for a public client */
  clientSecret: z.string().min(1).max(500).optional(),
  /** domains whose addresses the provider may verify; *: all */
  domains: z.array(z.string()).min(1).max(100).optional(),
});
const GOOGLE = 'https://accounts.google.com';
/** Providers with a known issuer. */
const KNOWN_ISSUERS: Record<string, string> = { google: GOOGLE };
/** Issuers that verify every address by a mail. */
const VERIFYING_ISSUERS = [GOOGLE];
const domainOf = (text: string): string | undefined => canonicalAddress(`a@${text}`)?.split('@')[1];
export const oidcProviders = z
  .string()
  .default('{}')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), oidcProvider))
  .transform((providers, context) =>
    Object.fromEntries(
      Object.entries(providers).map(([name, { issuer = KNOWN_ISSUERS[name] ?? '', domains, ...client }]) => {
        const refuse = (what: string): void => context.addIssue({ code: 'custom', message: `${name} ${what}` });
        if (issuer === '') refuse('needs an issuer');
        const given = domains ?? (VERIFYING_ISSUERS.includes(issuer.replace(/\/$/, '')) ? ['*'] : []);
        if (given.length === 0)
          refuse('needs domains: those of the addresses that it may call verified, as ["uni.example"]; ["*"] for all');
        const own = given.filter((domain) => domain !== '*').map((domain) => domainOf(domain) ?? '');
        if (own.includes('')) refuse('has domains that are none');
        return [name, { issuer, ...client, domains: given.includes('*') ? ('any' as const) : own }];
      }),
    ),
  );

export const MIN_SECRET_LENGTH = 32;
export const SECRET_RULE = `must be at least ${MIN_SECRET_LENGTH} characters; \`openssl rand -base64 48\` makes one`;
export const secretList = z
  .string()
  .transform((value) => value.split(',').map((entry) => entry.trim()))
  .superRefine((secrets, context) => {
    for (const [index, { length }] of secrets.entries())
      if (length < MIN_SECRET_LENGTH)
        context.addIssue({
          code: 'custom',
          message: `secret ${index + 1} of ${secrets.length} has ${length} characters, ${SECRET_RULE}`,
        });
  })
  .optional();
