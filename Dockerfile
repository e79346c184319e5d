# The bot alone: give it a Redis or Valkey as REDIS_URL. compose.yaml runs the two together.
# 24 has long-term support and is the newest version that the checks run on.
ARG NODE=24

FROM node:${NODE}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:${NODE}-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production WEB_PORT=8080
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY src src
COPY commands commands
# A number, so that whoever runs it can see that it is not root. It can write nothing here.
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WEB_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: SIGTERM arrives at the bot itself.
STOPSIGNAL SIGTERM
CMD ["node", "src/main.ts"]
