import { ValidateBy } from 'class-validator';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** the length of `2027-01-31T09:00` */
const MINUTE_LENGTH = 16;
const MAX_LENGTH = 35;

/**
 * Validates an RFC 3339 time with an offset and a date that exists. The document has no pattern, because openapi-generator would create a
 * Python client that cannot be imported.
 */
export function IsTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isTime',
    constraints: [{ type: 'string', format: 'date-time', maxLength: MAX_LENGTH }],
    validator: {
      validate: (value) => typeof value === 'string' && TIME.test(value) && isTime(value),
      defaultMessage: () => '$property must be a time like 2027-01-31T09:00:00Z',
    },
  });
}

/** Validates a day of the calendar, in UTC. */
export function IsDay(): PropertyDecorator {
  return ValidateBy({
    name: 'isDay',
    constraints: [{ type: 'string', format: 'date', minLength: 10, maxLength: 10 }],
    validator: {
      validate: (value) => typeof value === 'string' && DAY.test(value) && isTime(`${value}T00:00Z`),
      defaultMessage: () => '$property must be a day like 2027-01-31',
    },
  });
}

/** Rejects 30 February, which Date converts to 2 March, and 24:00, which Date converts to the next day. */
function isTime(text: string): boolean {
  const minute = text.slice(0, MINUTE_LENGTH);
  const local = new Date(`${minute}Z`);
  const isInCalendar = !Number.isNaN(local.getTime()) && local.toISOString().startsWith(minute);
  return isInCalendar && !Number.isNaN(Date.parse(text));
}
