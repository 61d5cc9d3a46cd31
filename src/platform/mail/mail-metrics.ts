import { counter, gauge } from '../prometheus/metric.js';

export const mailsTotal = counter({
  name: 'opencanvas_mails_total',
  help: 'Attempts to send a mail: sent, refused for good, to be tried again, dropped or expired before they were tried',
  labelNames: ['outcome'],
});
export const waitingMails = gauge({
  name: 'opencanvas_mails_waiting',
  help: 'Mails that are not sent yet',
  aggregator: 'max',
});
