# syntax=docker/dockerfile:1

# The C library and libgcc. A program of scripts/package.sh has no use for the second: releases take a smaller base.
ARG BASE=gcr.io/distroless/cc-debian12:nonroot

# The toolchain of rust-toolchain.toml; the image has the C compiler that zstd and SQLite are built
# with.
FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src
COPY . .
# The caches live outside of the layers, so the program is copied out of them at once.
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,target=/src/target,sharing=locked \
    cargo build --release --locked --bin contexture \
    && cp target/release/contexture /contexture \
    && mkdir /data

# No shell, no package manager, user 65532: what is left is the C library and the program.
FROM ${BASE}
COPY --from=build /contexture /usr/local/bin/contexture
# The one place that is written; it outlives the container where a volume is named.
COPY --from=build --chown=65532:65532 /data /data
VOLUME /data
ENV CONTEXTURE_LISTEN=0.0.0.0:8080 \
    CONTEXTURE_DATABASE_URL=sqlite:/data/contexture.db \
    CONTEXTURE_LOG_FORMAT=json
EXPOSE 8080
USER 65532:65532
# Asks GET /readyz at the address of CONTEXTURE_LISTEN; exit 0 where the answer is 200.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/usr/local/bin/contexture", "health"]
ENTRYPOINT ["/usr/local/bin/contexture"]
CMD ["serve"]
