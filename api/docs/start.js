// validatorUrl: the badge would send the address of this server to a third party.
SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#api", deepLinking: true, validatorUrl: null });
