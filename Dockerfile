# The packages are laid down in a stage of their own, so that npm's cache does not travel along.
FROM node:24-bookworm-slim AS packages
WORKDIR /leadline
COPY package.json package-lock.json .npmrc ./
# Without development packages, but with the optional ones: PostgreSQL is among them. The image has Node 24 already.
RUN npm ci --omit=dev --include=optional --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/.bin/node

# The pages are built with development packages, of which nothing goes on. Without them the service does not start.
FROM node:24-bookworm-slim AS pages
WORKDIR /leadline
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --include=dev --include=optional --ignore-scripts
COPY contract contract
COPY web web
RUN node node_modules/vite/bin/vite.js build web

FROM node:24-bookworm-slim
WORKDIR /leadline
COPY --from=packages /leadline/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY contract contract
COPY db db
COPY server server
COPY --from=pages /leadline/web/dist web/dist
RUN mkdir /data && chown node:node /data
USER node
# Without the last one V8 lets its nursery grow to 48 MB.
ENV NODE_ENV=production DATA_DIR=/data BIND=0.0.0.0 PORT=3000 NODE_OPTIONS=--max-semi-space-size=8
VOLUME /data
EXPOSE 3000 40000-40999/udp
# A stop takes a second, and ten at most, which is just what `docker stop` waits unless told otherwise (--stop-timeout 20).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/leadline.mjs", "serve"]
