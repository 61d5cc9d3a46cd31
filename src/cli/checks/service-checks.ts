import type { AppConfig } from '../../config/app-config.js';
import { S3MediaFiles } from '../../media/s3-media-files.js';
import { MailTransport } from '../../platform/mail/mail-transport.js';
import { checkRedis } from '../../platform/redis/redis-connection.js';
import { type Finding, find } from './finding.js';

const PROXY_TIMEOUT_MS = 5_000;

/** Checks the optional servers, and the way of clients to this server. */
export async function checkServices(config: AppConfig): Promise<Finding[]> {
  return Promise.all([
    find('Redis', () => checkRedisServer(config)),
    find('S3', () => checkBucket(config)),
    find('SMTP', () => checkMail(config)),
    find('proxy', () => checkProxy(config)),
  ]);
}

async function checkRedisServer({ redis }: AppConfig): Promise<Omit<Finding, 'name'>> {
  if (redis.url === undefined)
    return { state: 'off', text: 'REDIS_URL is not set: each host has rate limits of its own' };
  const lines: string[] = [];
  await checkRedis(redis.url, (line) => lines.push(line));
  return lines.length > 0 ? { state: 'fail', text: lines.join(' ') } : { state: 'ok', text: 'it responds' };
}

async function checkBucket({ media }: AppConfig): Promise<Omit<Finding, 'name'>> {
  if (media.s3 === undefined) return { state: 'off', text: 'MEDIA_S3_ENDPOINT is not set: images are in the database' };
  const { bucket, endpoint } = media.s3;
  try {
    await new S3MediaFiles(media.s3).probe();
    return { state: 'ok', text: `the bucket ${bucket} is there` };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return { state: 'fail', text: `The bucket ${bucket} at ${endpoint} cannot be used (${reason}): check MEDIA_S3_*.` };
  }
}

async function checkMail(config: AppConfig): Promise<Omit<Finding, 'name'>> {
  const transport = new MailTransport(config);
  try {
    if (transport.probe === undefined) {
      const text = `SMTP_URL is not set: mails are files in ${config.mail.directory}`;
      return config.isProduction
        ? { state: 'warn', text: `${text}, and no password can be reset.` }
        : { state: 'off', text };
    }
    await transport.probe();
  } catch (error) {
    return { state: 'fail', text: `The mail server cannot be used (${(error as Error).message}): check SMTP_URL.` };
  } finally {
    await transport.onModuleDestroy();
  }
  const text = `the mail server accepts the login, the sender is ${config.mail.from}`;
  return config.mail.from.includes('@localhost')
    ? { state: 'warn', text: `${text}: set MAIL_FROM.` }
    : { state: 'ok', text };
}

async function checkProxy({ http }: AppConfig): Promise<Omit<Finding, 'name'>> {
  const { publicUrl, trustedProxies } = http;
  if (publicUrl === undefined)
    return { state: 'off', text: 'HTTP_PUBLIC_URL is not set: clients come without a proxy' };
  if (trustedProxies.length === 0 && publicUrl.startsWith('https:')) {
    const text =
      'HTTP_TRUSTED_PROXIES is not set: all clients have the address of the proxy and share one rate limit. Name it.';
    return { state: 'fail', text };
  }
  const url = `${publicUrl}/health/live`;
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(PROXY_TIMEOUT_MS), redirect: 'manual' });
    if (status === 200) return { state: 'ok', text: `${url} responds` };
    return { state: 'warn', text: `${url} responds with ${status}: start the server, and check the proxy.` };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return { state: 'fail', text: `${url} cannot be reached (${reason}): check DNS, certificate, firewall and proxy.` };
  }
}
