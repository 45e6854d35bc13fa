# Build:  docker build -t benchwright .
# Run:    docker run --rm --init --shm-size=1g --security-opt seccomp=unconfined -v "$PWD/report:/report" \
#             benchwright score https://example.com --out /report
#
# Chromium and bubblewrap confine what they run with user namespaces, which Docker's default seccomp profile forbids: hence
# the security option. The folder for the report must be writable for user 10001.

FROM rust:1.95-slim-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev nodejs npm \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package benchwright --features full
RUN node instruments/install.mjs
RUN mkdir -p /opt/benchwright/bin \
    && cp target/release/benchwright /opt/benchwright/bin/ \
    && cp -R instruments /opt/benchwright/ \
    && rm -r /opt/benchwright/instruments/test \
    && cp README.md LICENSE METHODOLOGY.md /opt/benchwright/

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates chromium fontconfig fonts-liberation \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 benchwright \
    && install -d -o benchwright -g benchwright /report
COPY --from=build /opt/benchwright /opt/benchwright
ENV PATH=/opt/benchwright/bin:$PATH LANG=C.UTF-8
USER benchwright
WORKDIR /home/benchwright
ENTRYPOINT ["benchwright"]
