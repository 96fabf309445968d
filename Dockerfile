# tilld and the test nodes that come with it. Targets: runtime (default), anvil, devnet.
#
# The base is pinned by tag; to pin it by digest, too, pass --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
# (it stays an argument because CI, which can pull nothing, makes an image of the same name by itself).
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/_env.sh scripts/
# Locked versions, package scripts off: what scripts/start does on a fresh clone.
RUN bash -c '. scripts/_env.sh && ensure_packages' && npm cache clean --force >/dev/null 2>&1

FROM packages AS build
COPY tsconfig.json tsconfig.build.json tsconfig.web.json rolldown.config.ts vite.config.ts ./
COPY locales locales
COPY src src
COPY packages/sdk/src packages/sdk/src
RUN npm run --silent build
COPY bin bin
COPY config config
COPY docker docker
COPY test/_helpers test/_helpers
# Whatever umask the checkout was made with.
RUN chmod -R a+rX bin config docker test package.json dist

# What the daemon needs to run, and of native packages only the binaries for this platform.
FROM packages AS production
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
  && bash -c '. scripts/_env.sh && trim_packages node_modules'

# The test Ethereum node.
FROM ${NODE_IMAGE} AS anvil
COPY --from=packages /app/node_modules/@foundry-rs/anvil-linux-*/bin/anvil /usr/local/bin/anvil
RUN groupadd --gid 10001 tilld && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin tilld \
  && install -d -m 0700 -o 10001 -g 10001 /data
USER 10001:10001
ENV HOME=/data
ENTRYPOINT ["anvil"]

# The test Solana node and the miner.
FROM ${NODE_IMAGE} AS devnet
RUN groupadd --gid 10001 tilld && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin tilld \
  && install -d -m 0700 -o 10001 -g 10001 /data /rpc /rpc/btc /rpc/ltc
WORKDIR /app
ENV NODE_ENV=production
# All packages: the Solana machine and the payer's client are development dependencies.
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/test/_helpers test/_helpers
COPY --from=build /app/docker/devnet docker/devnet
RUN ln -s /app/docker/devnet/pay /app/docker/devnet/mine /usr/local/bin/
USER 10001:10001

# A shop on Vendure with the plugin, for trying it out.
FROM packages AS shop-packages
COPY test/shops/install test/shops/
COPY test/shops/vendure/package.json test/shops/vendure/package-lock.json test/shops/vendure/
COPY packages/vendure/package.json packages/vendure/
RUN test/shops/install vendure && npm cache clean --force >/dev/null 2>&1
COPY tsconfig.json ./
COPY packages/sdk packages/sdk
COPY packages/vendure packages/vendure
COPY scripts/build-packages scripts/
RUN scripts/build-packages --into /tmp/archives vendure \
  && plugin=test/shops/vendure/node_modules/@tilld/vendure-plugin && mkdir -p "$plugin" \
  && tar -xzf /tmp/archives/*.tgz -C "$plugin" --strip-components=1

FROM ${NODE_IMAGE} AS shop
RUN groupadd --gid 10001 tilld && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin tilld \
  && install -d -m 0700 -o 10001 -g 10001 /data
WORKDIR /app
ENV NODE_ENV=production DATA_DIR=/data HOME=/data VENDURE_DISABLE_TELEMETRY=true
COPY --from=shop-packages /app/test/shops/vendure/node_modules node_modules
COPY docker/shop ./
USER 10001:10001
VOLUME /data
EXPOSE 3001
CMD ["node", "server.mjs"]

FROM ${NODE_IMAGE} AS runtime
RUN groupadd --gid 10001 tilld && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin tilld \
  && install -d -m 0700 -o 10001 -g 10001 /data /secrets /rpc /rpc/btc /rpc/ltc \
  && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /usr/local/include /usr/local/share/doc /usr/local/share/man /opt/yarn-v*
WORKDIR /app
ENV NODE_ENV=production TILLD_HOST=0.0.0.0 TILLD_DATA_DIR=/data HOME=/data
COPY --from=build /app/package.json ./
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/bin bin
COPY --from=build /app/config config
COPY --from=build /app/docker/healthcheck.mjs docker/
RUN ln -s /app/bin/tillctl /usr/local/bin/tillctl
USER 10001:10001
VOLUME /data
EXPOSE 3000
# The process answers; whether each chain is followed is /readyz, which a node still syncing must not fail.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/docker/healthcheck.mjs"]
# No init process: the daemon is started without a shell, handles SIGTERM itself and has no children to reap.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-old-space-size=512", "dist/main.js"]
