# The image: Node, the built service and what it needs at run time; no shell, no package manager, no compiler.
#   docker build -t marquee .
# It has no database of its own: give it a DATABASE_URL (compose.yaml brings one). DATA_DIR is the volume /data; the rest
# of the file system may be read-only.

ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund --loglevel=error
COPY . .
RUN node script/build.mjs && node script/image-root.mjs /image

FROM scratch
COPY --from=build /image /
ENV NODE_ENV=production DATA_DIR=/data PATH=/usr/local/bin
WORKDIR /app
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "/app/script/healthy.mjs"]
ENTRYPOINT ["node", "--enable-source-maps", "/app/dist/src/main.js"]
CMD ["serve"]
