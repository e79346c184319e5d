// Loaded into the bot's process before the bot: when the sandbox dies, even by kill -9, the channel
// between them closes, and the bot ends in order instead of looking for its Discord for ever.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep the process alive.
process.channel?.unref();
