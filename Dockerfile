# The bot alone: give it a Redis or Valkey as REDIS_URL. compose.yaml runs the two together.
# 24 has long-term support, and the checks run on it.
ARG NODE=24

FROM node:${NODE}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
# The commit that this is, for --version. Of .git, .dockerignore lets through what names it; a folder without one is fine.
COPY package.json .gi[t] .git/
COPY src/runtime/commit.js src/runtime/
RUN node src/runtime/commit.js > commit

FROM node:${NODE}-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production FRONTPAGE_IMAGE=yes WEB_PORT=8080 NODE_COMPILE_CACHE=/app/compiled MALLOC_ARENA_MAX=2
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/commit commit
COPY package.json ./
COPY bin bin
COPY src src
COPY commands commands
RUN install --directory --owner=1000 --group=1000 compiled
# A number, so that whoever runs it can see that it is not root.
USER 1000:1000
# Compiled here, so that a start need not: the bot's root file system is read-only. Node looks for what was compiled with
# the flags of CMD alone.
RUN node --max-semi-space-size=4 --heap-growing-percent=20 bin/compile.js
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "bin/healthy.js"]
# No shell and no npm in between: SIGTERM arrives at the bot itself.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=20", "bin/frontpage.js"]
