// Whether the bot answers, for the image's HEALTHCHECK. Without WEB_PORT it serves nothing that could be asked.
const { WEB_PORT: port, WEB_HOST: host = '' } = process.env;

/** An address of all, or none, is also this machine's own. */
const at = ['', '0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
const url = `http://${at.includes(':') ? `[${at}]` : at}:${port}/healthz`;
const isHealthy = async () => !port || (await fetch(url)).ok;
process.exitCode = (await isHealthy().catch(() => false)) ? 0 : 1;
